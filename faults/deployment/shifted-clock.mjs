// Preloaded into a replica: shifts its wall clock by CHATD_TEST_CLOCK_OFFSET_MS. The monotonic clock is unchanged, as on a
// machine with a wrong time.
const offset = Number(process.env.CHATD_TEST_CLOCK_OFFSET_MS);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }

  static now() {
    return RealDate.now() + offset;
  }
}

globalThis.Date = ShiftedDate;
