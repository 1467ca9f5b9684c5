import { expect, test } from 'vitest';
import { listeningPorts } from './local-ports.ts';

test('listening ports are listed with the names of their programs', () => {
  const output = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0200000A:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0000000000000000 100 0 0 10 0
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1435 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4714 1 0000000000000000 100 0 0 10 0
/proc/7/fd:
lrwx------ 1 agent agent 64 Nov 16 10:00 3 -> socket:[4714]
/proc/9/fd:
lrwx------ 1 agent agent 64 Nov 16 10:00 18 -> socket:[4711]
lrwxrwxrwx 1 agent agent 0 Nov 16 10:00 /proc/7/exe -> /usr/bin/node
lrwxrwxrwx 1 agent agent 0 Nov 16 10:00 /proc/9/exe -> /usr/bin/python3.11
`;
  expect(listeningPorts(output)).toEqual([
    { port: 5173, program: 'node' },
    { port: 8080, program: 'python3.11' },
  ]);
});

test('malformed output lists no ports', () => {
  expect(listeningPorts('   0: x:1F90\n/proc/1/fd:\nsocket:[1]\n/proc/x/exe -> y')).toEqual([]);
});

test('a forged long line is parsed in linear time', () => {
  expect(listeningPorts(`/proc/1/exe -> ${'a'.repeat(4_000_000)}/`)).toEqual([]);
});
