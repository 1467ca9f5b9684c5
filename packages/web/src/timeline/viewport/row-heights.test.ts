import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowHeights } from './row-heights.ts';

const command = fc.oneof(
  fc.record({ do: fc.constant('append' as const), height: fc.nat(500) }),
  fc.record({ do: fc.constant('set' as const), row: fc.nat(60), height: fc.nat(500) }),
  fc.record({ do: fc.constant('truncate' as const), count: fc.nat(60) }),
);

test('sums and positions equal those of a plain list', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 80 }), fc.nat(20_000), (commands, offset) => {
      const rows = new RowHeights();
      const plain: number[] = [];
      for (const step of commands) {
        if (step.do === 'append') {
          rows.append(step.height);
          plain.push(step.height);
        } else if (step.do === 'set') {
          rows.set(step.row, step.height);
          if (step.row < plain.length) plain[step.row] = step.height;
        } else {
          rows.truncate(step.count);
          plain.length = Math.min(plain.length, step.count);
        }
      }
      expect(rows.count).toBe(plain.length);
      const offsets = plain.map((_, at) =>
        plain.slice(0, at).reduce((sum, height) => sum + height, 0),
      );
      expect(plain.map((_, at) => rows.offsetOf(at))).toEqual(offsets);
      expect(rows.total).toBe(plain.reduce((sum, height) => sum + height, 0));
      const at = rows.rowAt(offset);
      if (plain.length > 0) {
        expect(rows.offsetOf(at)).toBeLessThanOrEqual(Math.max(offset, 0));
        if (at < plain.length - 1) expect(rows.offsetOf(at + 1)).toBeGreaterThan(offset);
      }
    }),
  );
});
