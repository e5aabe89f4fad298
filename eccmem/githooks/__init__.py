"""Git's own hooks: where they are, whether they come to eccmem-hook, and how to get it in."""
