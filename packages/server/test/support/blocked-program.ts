import { startWatchdog } from '../../src/watchdog/watchdog.ts';

/* A server whose event loop blocks forever once it gets input. */
startWatchdog(Number(process.argv[2]));
process.stdin.once('data', () => {
  for (;;);
});
process.stdout.write('ready\n');
