import { type OwnServer, said, startOwnServer } from '@chatd/test-server/mcp';

/** Placeholder for the MCP server URL in a dump and its expectations. */
export const NOTES_URL = 'http://notes.invalid';
/** The token that chatd sends, encrypted in the dump. */
export const NOTES_TOKEN = 'token-of-the-upgrade-notes-0123456789';

/** An MCP server with two tools that requires the token. */
export async function startNotesServer(): Promise<OwnServer & { readonly origin: string }> {
  const server = await startOwnServer(
    [
      { name: 'look', run: () => said('the notes speak of a zebra') },
      { name: 'add', run: () => said('it is noted') },
    ],
    () => undefined,
    {
      before({ headers }, response) {
        if (headers.authorization === `Bearer ${NOTES_TOKEN}`) return false;
        response.writeHead(401).end();
        return true;
      },
    },
  );
  return Object.assign(server, { origin: new URL(server.url).origin });
}
