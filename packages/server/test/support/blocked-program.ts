import { startWatchdog } from '../../src/watchdog/watchdog.ts';

/* A server whose event loop gets stuck: it waits until it is told to, and then never again does anything. */
startWatchdog(Number(process.argv[2]));
process.stdin.once('data', () => {
  for (;;);
});
process.stdout.write('ready\n');
