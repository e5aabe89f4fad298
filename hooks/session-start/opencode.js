// A plugin of OpenCode: adds the waiting hand-offs to the system text, once asked for each conversation.
// OpenCode calls the hook before every request to a model, so what eccmem-hook said is kept.
import { execFile } from "node:child_process"

const ask = (directory) =>
  new Promise((resolve) => {
    const options = { cwd: directory, timeout: 10000, encoding: "utf8" }
    const words = ["session-start", "--format", "text", "--harness", "opencode"]
    execFile("eccmem-hook", words, options, (error, said) => resolve(error ? "" : said.trim()))
  })

export const Eccmem = async ({ directory }) => {
  const told = new Map()
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const key = input.sessionID ?? ""
      if (!told.has(key)) told.set(key, ask(directory))
      const text = await told.get(key)
      if (text) output.system.push(text)
    },
  }
}
