import { createChatd } from '../../../server/src/create-chatd.ts';

// `chatd serve` with the web UI of the test run: CHATD_TEST_WEB_FOLDER=… node serve-with-web-ui.ts serve FLAGS.
const { CHATD_TEST_WEB_FOLDER: webFolder = '', ...env } = process.env;
const [, ...args] = process.argv.slice(2);
const server = await createChatd({
  args,
  env,
  webFolder,
  writeLog: (line) => process.stderr.write(line),
});
process.stdout.write(`chatd is ready at ${server.url} — sign in: ${server.signInUrl}\n`);
