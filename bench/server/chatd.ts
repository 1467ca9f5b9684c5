/* The chatd server of the comparison. */
import { startChatd } from './embedded.ts';

const chatd = await startChatd();
process.once('SIGTERM', () => void chatd.close().then(() => process.exit(0)));
console.log('ready');
