import { createClient } from '@chatd/client';
import { EditorConnection } from './editor-connection.ts';
import { Folder } from './folder.ts';
import { Session } from './session.ts';

// An editor extension starts this program like a language server. README.md lists the methods.
const client = createClient({
  url: process.env['CHATD_URL'],
  token: process.env['CHATD_TOKEN'],
});
let session: Session | undefined;

const editor = new EditorConnection(process.stdout, {
  open: async ({ folder }) => {
    session?.close();
    session = new Session(client, editor, await Folder.open(String(folder)));
    return await session.open();
  },
  ask: ({ text, selection }) => opened().ask(String(text), selection as never),
  interrupt: () => opened().interrupt(),
});

function opened(): Session {
  if (session === undefined) throw new Error('Open a folder first.');
  return session;
}

await editor.read(process.stdin);
session?.close();
