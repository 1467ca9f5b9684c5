// Loaded before a replica: its wall clock is off by CHATD_TEST_CLOCK_OFFSET_MS. The monotonic clock is left alone, as
// it is on a machine whose time was set wrong.
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
