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
/** Inject input into another terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Unix, IPv4, IPv6 and netlink. Others bypass the network namespace (vsock) or are rarely used kernel code. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** The number on x64 and, where it exists, on arm64. */
type Numbers = readonly [x64: number, arm64?: number];

/** Refused: these require privileges that workspace programs do not have, or are common in kernel exploits. */
const DENIED: Readonly<Record<string, Numbers>> = {
  _sysctl: [156],
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  create_module: [174],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177],
  init_module: [175, 105],
  ioperm: [173],
  iopl: [172],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  modify_ldt: [154],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pivot_root: [155, 41],
  query_module: [178],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134],
  userfaultfd: [323, 282],
  ustat: [136],
  vhangup: [153, 58],
};

/** Reported as not implemented, so that programs fall back. Filters cannot see operations of io_uring. */
const ABSENT: Readonly<Record<string, Numbers>> = {
  // Its flags are behind a pointer, which filters cannot read. C libraries fall back to clone.
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

interface Architecture {
  readonly audit: number;
  /** Its index in the tables of numbers. */
  readonly column: 0 | 1;
  readonly clone: number;
  readonly ioctl: number;
  readonly socket: number;
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, ioctl: 16, socket: 41 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, ioctl: 29, socket: 198 },
};

const numbersOf = (table: Readonly<Record<string, Numbers>>, { column }: Architecture): number[] =>
  Object.values(table).flatMap((numbers) => numbers[column] ?? []);

/** x32 programs use the x64 architecture with this bit set in the number. */
const X32_BIT = 0x40000000;

interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: LOAD_WORD, value: offset });
const result = (value: number): Instruction => ({ code: RETURN, value });

/** Runs the instructions if the loaded word matches, otherwise skips them. */
const when = (
  code: number,
  value: number,
  then: readonly Instruction[],
): readonly Instruction[] => [{ code, value, ifTrue: 0, ifFalse: then.length }, ...then];

/**
 * The system call filter for workspace programs, in bubblewrap's format. Undefined: the architecture is not supported.
 */
export function seccompFilter(architecture = process.arch): Buffer | undefined {
  const found = ARCHITECTURES[architecture];
  return found && assemble(program(found));
}

function program(architecture: Architecture): Instruction[] {
  return [
    load(ARCHITECTURE),
    // 32-bit programs use other numbers and would bypass the filter.
    { code: JUMP_IF_EQUAL, value: architecture.audit, ifTrue: 1, ifFalse: 0 },
    result(ENOSYS),
    load(SYSCALL),
    ...when(JUMP_IF_AT_LEAST, X32_BIT, [result(ENOSYS)]),
    ...numbersOf(DENIED, architecture).flatMap((call) =>
      when(JUMP_IF_EQUAL, call, [result(EPERM)]),
    ),
    ...numbersOf(ABSENT, architecture).flatMap((call) =>
      when(JUMP_IF_EQUAL, call, [result(ENOSYS)]),
    ),
    ...when(JUMP_IF_EQUAL, architecture.clone, [
      load(argument(0)),
      ...when(JUMP_IF_ANY_BIT, NEW_NAMESPACES, [result(EPERM)]),
      result(ALLOW),
    ]),
    ...when(JUMP_IF_EQUAL, architecture.ioctl, [
      load(argument(1)),
      ...TERMINAL_INPUT.flatMap((request) => when(JUMP_IF_EQUAL, request, [result(EPERM)])),
      result(ALLOW),
    ]),
    ...when(JUMP_IF_EQUAL, architecture.socket, [
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
