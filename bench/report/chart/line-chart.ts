import {
  type Described,
  line,
  LINE_HEIGHT,
  svgDocument,
  round,
  SERIES_COLORS,
  text,
  WIDTH,
  widthOf,
} from './svg.ts';
import { linearScale, type Scale } from './scale.ts';

export interface LineChart extends Described {
  /** Label of the x axis, with its unit: `minutes`. */
  readonly x: string;
  /** Label of the y axis, with its unit: `MB`. */
  readonly y: string;
  readonly series: readonly {
    readonly name: string;
    /** Sorted by x. */
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
  /** Events; labeled where there is space. */
  readonly marks?: readonly { readonly x: number; readonly name: string }[];
}

const PLOT_HEIGHT = 240;
const LEFT = 56;
const RIGHT = WIDTH - 16;
const MARK_ROWS = 3;

/** A line chart with a y axis that starts at zero. */
export function lineChart(chart: LineChart): string {
  const { series, marks = [] } = chart;
  const points = series.flatMap((one) => one.points);
  const xs = [...points.map(([x]) => x), ...marks.map(({ x }) => x)];
  const x = linearScale([Math.min(...xs), Math.max(...xs)], [LEFT, RIGHT], 8);
  const names = markNames(marks, x);
  const top = 70 + names.rows * 14;
  const bottom = top + PLOT_HEIGHT;
  const y = linearScale([0, Math.max(...points.map(([, value]) => value))], [bottom, top]);
  return svgDocument(chart, bottom + 44, [
    ...legend(series.map(({ name }) => name)),
    text({ x: LEFT, y: top - 10 - names.rows * 14, className: 'small' }, chart.y),
    ...names.drawn.map(({ at, row, name }) =>
      text({ x: at, y: top - 6 - row * 14, anchor: 'middle', className: 'small' }, name),
    ),
    ...y.ticks.flatMap((tick) => [
      line(tick === 0 ? 'axis' : 'grid', [LEFT, y.at(tick), RIGHT, y.at(tick)]),
      text({ x: LEFT - 8, y: y.at(tick) + 4, anchor: 'end', className: 'small' }, y.label(tick)),
    ]),
    ...x.ticks.map((tick) =>
      text({ x: x.at(tick), y: bottom + 18, anchor: 'middle', className: 'small' }, x.label(tick)),
    ),
    text({ x: RIGHT, y: bottom + 36, anchor: 'end', className: 'small' }, chart.x),
    ...marks.map((mark) => line('mark', [x.at(mark.x), top, x.at(mark.x), bottom])),
    ...series.map(({ points }, index) => curve(points, index, x, y)),
  ]);
}

function curve(
  points: readonly (readonly [number, number])[],
  index: number,
  x: Scale,
  y: Scale,
): string {
  const corners = points.map(([at, value]) => `${round(x.at(at))},${round(y.at(value))}`);
  return `<polyline class="line s${index % SERIES_COLORS}" points="${corners.join(' ')}"/>`;
}

/** A single series needs no legend. */
function legend(names: readonly string[]): string[] {
  if (names.length < 2) return [];
  let at = 0;
  return names.flatMap((name, index) => {
    const left = at;
    at += 26 + widthOf(name) + 14;
    return [
      `<rect class="fill s${index % SERIES_COLORS}" x="${round(left)}" y="${LINE_HEIGHT + 15}" width="18" height="4" rx="2"/>`,
      text({ x: left + 26, y: LINE_HEIGHT + 22 }, name),
    ];
  });
}

/** Places labels in up to three rows above the plot without overlap; labels that do not fit are omitted. */
function markNames(marks: readonly { readonly x: number; readonly name: string }[], x: Scale) {
  const ends: number[] = [];
  const drawn: { at: number; row: number; name: string }[] = [];
  for (const { x: when, name } of marks.toSorted((a, b) => a.x - b.x)) {
    const half = (widthOf(name) * 11) / 13 / 2;
    const at = Math.min(RIGHT - half, Math.max(LEFT + half, x.at(when)));
    for (let row = 0; row < MARK_ROWS; row += 1) {
      if ((ends[row] ?? 0) > at - half) continue;
      ends[row] = at + half + 8;
      drawn.push({ at, row, name });
      break;
    }
  }
  return { drawn, rows: ends.length };
}
