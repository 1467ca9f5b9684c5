import { type Described, line, svgDocument, round, text, WIDTH, widthOf } from './svg.ts';

export interface BarChart extends Described {
  /** Unit and direction of the values: `steps per second; higher is better`. */
  readonly unit: string;
  readonly groups: readonly {
    readonly name: string;
    readonly bars: readonly {
      readonly name: string;
      /** Stacked values; all but the first are drawn lighter. */
      readonly values: readonly number[];
      /** Shown after the bar. */
      readonly label: string;
      /** Highlighted. */
      readonly strong?: boolean;
    }[];
  }[];
  /** Scales each group separately, for groups with values of different magnitudes. */
  readonly scaleEachGroup?: boolean;
  /** Names of the stacked values. */
  readonly pieces?: readonly string[];
}

const BAR = 14;
const GAP = 6;
const HEADING = 30;

type Bars = BarChart['groups'][number]['bars'];

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const widest = (bars: Bars): number => Math.max(...bars.map(({ values }) => total(values)));

/** A grouped horizontal bar chart. */
export function barChart(chart: BarChart): string {
  const all = chart.groups.flatMap((group) => group.bars);
  const left = Math.max(...all.map(({ name }) => widthOf(name))) + 12;
  const room = Math.max(...all.map(({ label }) => widthOf(label))) + 8;
  const drawn: string[] = [text({ x: 0, y: 40, className: 'small' }, chart.unit)];
  if (chart.pieces !== undefined) drawn.push(...pieceLegend(chart.pieces));
  let y = 46;
  for (const { name, bars } of chart.groups) {
    drawn.push(text({ x: 0, y: y + 20, className: 'strong' }, name));
    y += HEADING;
    const longest = widest(chart.scaleEachGroup === true ? bars : all);
    const length = (value: number) => ((WIDTH - room - left) * value) / longest;
    drawn.push(line('axis', [left, y - 2, left, y + bars.length * (BAR + GAP) - GAP + 2]));
    for (const { name, values, label, strong = false } of bars) {
      let from = left;
      values.forEach((value, piece) => {
        const color = strong ? 'fill s0' : 'rest';
        const faded = piece === 0 ? '' : ' opacity="0.5"';
        drawn.push(
          `<rect class="${color}"${faded} x="${round(from)}" y="${y}" width="${round(length(value))}" height="${BAR}"/>`,
        );
        from += length(value);
      });
      const styled = strong ? { className: 'strong' } : {};
      drawn.push(
        text({ x: left - 8, y: y + 11.5, anchor: 'end', ...styled }, name),
        text({ x: from + 6, y: y + 11.5, ...styled }, label),
      );
      y += BAR + GAP;
    }
  }
  return svgDocument(chart, y + 6, drawn);
}

function pieceLegend(pieces: readonly string[]): string[] {
  let at = WIDTH;
  return pieces.toReversed().flatMap((name, index) => {
    const faded = index === pieces.length - 1 ? '' : ' opacity="0.5"';
    at -= widthOf(name) + 34;
    return [
      `<rect class="fill s0"${faded} x="${round(at)}" y="31" width="14" height="10"/>`,
      text({ x: at + 20, y: 40, className: 'small' }, name),
    ];
  });
}
