// One talk with the server, the same for the clients of both major versions of the TypeScript SDK.
// usage: node client.mjs @modelcontextprotocol/sdk|@modelcontextprotocol/client COMMAND…, in a folder with the package
import assert from 'node:assert/strict';

const [name, command, ...args] = process.argv.slice(2);
const both = name.endsWith('/sdk') ? ['client/index.js', 'client/stdio.js'] : ['', 'stdio'];
const { createRequire } = await import('node:module');
const { pathToFileURL } = await import('node:url');
const require = createRequire(`${process.env.NODE_CLIENTS}/`);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  both.map((part) => import(pathToFileURL(require.resolve(part ? `${name}/${part}` : name)).href)),
);

const client = new Client({ name: 'a client', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env: process.env, cwd: process.cwd() }));

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ['memory_save', 'memory_search', 'memory_read', 'memory_doctor']);
await client.ping();

const call = async (tool, given) => {
  const result = await client.callTool({ name: tool, arguments: given });
  assert.equal(result.content.length, 1);
  return [JSON.parse(result.content[0].text), result.isError === true];
};
const [saved] = await call('memory_save', { title: `From ${name}`, body: 'Ünïcode \u{1f600}' });
const [read] = await call('memory_read', { id: saved.memory.id });
assert.equal(read.memory.body, 'Ünïcode \u{1f600}');
const [refused, failed] = await call('memory_read', { id: 'mem_nowhere' });
assert.deepEqual([refused.error.code, failed], ['MEMORY_READ_FAILED', true]);
await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }));
const found = await Promise.all(Array.from({ length: 30 }, () => call('memory_search', { query: name })));
assert.ok(found.every(([answer]) => answer.results.length >= 1));

const aborted = new AbortController();
const options = { signal: aborted.signal };
const waiting = client.callTool(
  { name: 'memory_doctor', arguments: {} },
  ...(name.endsWith('/sdk') ? [undefined, options] : [options]),
);
aborted.abort();
await assert.rejects(waiting);
await client.ping();
await client.close();
console.log(`${name}: ok`);
