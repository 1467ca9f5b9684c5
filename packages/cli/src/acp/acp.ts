import { command, type Run } from '../command-line/command.ts';

export const acp = (run: Run) =>
  command('acp', 'Connect an editor to chatd with the Agent Client Protocol', {
    details: `An editor starts this command and exchanges ACP v1 messages with it over stdin and stdout. Sessions are chats on the server: they keep running when the editor closes, and you can open them in the web UI or with chatd chat. Logs go to stderr.`,
    examples: [['chatd acp', 'For the settings of an editor: docs/guides/editors.md']],
  }).action(
    run(async (context) => {
      // Imported only here, because the schemas of the protocol slow down the start of other commands.
      const { serveEditor } = await import('./serve-editor.ts');
      await serveEditor(context);
    }),
  );
