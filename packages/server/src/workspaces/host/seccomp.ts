/** Instructions and constants of classic BPF (linux/filter.h, linux/seccomp.h). */
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const errno = (code: number) => 0x00050000 | code;

const EPERM = errno(1);
const ENOSYS = errno(38);
const EAFNOSUPPORT = errno(97);

const SYSCALL = 0;
const ARCHITECTURE = 4;
/** The lower half of an argument, on a little-endian machine. */
const argument = (index: number) => 16 + 8 * index;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e020000;
/** Put text into another terminal's input. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Unix, IPv4, IPv6 and netlink. Others reach past the network namespace (vsock) or are seldom-used kernel code. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

interface SystemCalls {
  readonly audit: number;
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly denied: readonly number[];
  /** As if the kernel did not have them: programs then do without. */
  readonly absent: readonly number[];
}

/** io_uring: its operations do not pass this filter. */
const IO_URING = [425, 426, 427];
/** open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr and quotactl_fd have one number everywhere. */
const MOUNT_API = [428, 429, 430, 431, 432, 433, 442, 443];

/*
 * Denied, in the order of the tables: acct, add_key, request_key, keyctl, bpf, clock_adjtime, clock_settime, delete_module,
 * finit_module, init_module, kexec_load, kexec_file_load, lookup_dcookie, mount, umount2, pivot_root, chroot, nfsservctl,
 * open_by_handle_at, name_to_handle_at, perf_event_open, quotactl, reboot, setns, unshare, settimeofday, adjtimex, swapon,
 * swapoff, syslog, userfaultfd, vhangup, fanotify_init, kcmp.
 */
const X64: SystemCalls = {
  audit: 0xc000003e,
  clone: 56,
  clone3: 435,
  ioctl: 16,
  socket: 41,
  denied: [
    ...[163, 248, 249, 250, 321, 305, 227, 176, 313, 175, 246, 320, 212, 165, 166, 155, 161, 180],
    ...[304, 303, 298, 179, 169, 308, 272, 164, 159, 167, 168, 103, 323, 153, 300, 312],
    // create_module, get_kernel_syms, query_module, ioperm, iopl, uselib, ustat, sysfs, _sysctl, modify_ldt.
    ...[174, 177, 178, 173, 172, 134, 136, 139, 156, 154],
    ...MOUNT_API,
  ],
  absent: IO_URING,
};

const ARM64: SystemCalls = {
  audit: 0xc00000b7,
  clone: 220,
  clone3: 435,
  ioctl: 29,
  socket: 198,
  denied: [
    ...[89, 217, 218, 219, 280, 266, 112, 106, 273, 105, 104, 294, 18, 40, 39, 41, 51, 42],
    ...[265, 264, 241, 60, 142, 268, 97, 170, 171, 224, 225, 116, 282, 58, 262, 272],
    ...MOUNT_API,
  ],
  absent: IO_URING,
};

const TABLES: Partial<Record<NodeJS.Architecture, SystemCalls>> = { x64: X64, arm64: ARM64 };

/** x32 programs use the architecture of x64 with this bit in the number. */
const X32_BIT = 0x40000000;

interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: LOAD_WORD, value: offset });
const result = (value: number): Instruction => ({ code: RETURN, value });

/** The instructions, if the loaded word compares; else what comes after them. */
const when = (
  code: number,
  value: number,
  then: readonly Instruction[],
): readonly Instruction[] => [{ code, value, ifTrue: 0, ifFalse: then.length }, ...then];

/**
 * The filter for system calls that programs of a workspace have no use for: those that need rights they do not have, and
 * those that attackers of the kernel begin with. Undefined: there is no table for this architecture.
 */
export function seccompFilter(architecture = process.arch): Buffer | undefined {
  const calls = TABLES[architecture];
  return calls && assemble(program(calls));
}

function program(calls: SystemCalls): Instruction[] {
  return [
    load(ARCHITECTURE),
    // A 32-bit program has other numbers: it would pass unfiltered.
    { code: JUMP_IF_EQUAL, value: calls.audit, ifTrue: 1, ifFalse: 0 },
    result(ENOSYS),
    load(SYSCALL),
    ...when(JUMP_IF_AT_LEAST, X32_BIT, [result(ENOSYS)]),
    ...calls.denied.flatMap((call) => when(JUMP_IF_EQUAL, call, [result(EPERM)])),
    // The flags of clone3 are behind a pointer, where no filter sees them. C libraries use clone instead.
    ...[calls.clone3, ...calls.absent].flatMap((call) =>
      when(JUMP_IF_EQUAL, call, [result(ENOSYS)]),
    ),
    ...when(JUMP_IF_EQUAL, calls.clone, [
      load(argument(0)),
      ...when(JUMP_IF_ANY_BIT, NEW_NAMESPACES, [result(EPERM)]),
      result(ALLOW),
    ]),
    ...when(JUMP_IF_EQUAL, calls.ioctl, [
      load(argument(1)),
      ...TERMINAL_INPUT.flatMap((request) => when(JUMP_IF_EQUAL, request, [result(EPERM)])),
      result(ALLOW),
    ]),
    ...when(JUMP_IF_EQUAL, calls.socket, [
      load(argument(0)),
      ...SOCKET_FAMILIES.flatMap((family) => when(JUMP_IF_EQUAL, family, [result(ALLOW)])),
      result(EAFNOSUPPORT),
    ]),
    result(ALLOW),
  ];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
