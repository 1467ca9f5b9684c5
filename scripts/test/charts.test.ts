import { expect, test } from 'vitest';
import { barChart, lineChart } from '../../bench/report/chart.ts';
import { linearScale } from '../../bench/report/chart/scale.ts';

const described = { title: 'Speed', description: 'How fast it is.' };
const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, at]) => at);
const hour = {
  ...described,
  x: 'minutes',
  y: 'MB',
  series: [
    {
      name: 'a',
      points: [
        [0, 10],
        [60, 30],
      ] as const,
    },
  ],
};

test('a chart has an escaped title and description', () => {
  const svg = lineChart({ ...hour, title: 'a < b & c', description: '"so"' });
  expect(svg).toContain('<title id="title">a &lt; b &amp; c</title>');
  expect(svg).toContain('<desc id="description">&quot;so&quot;</desc>');
});

test('all events are marked, and labeled where there is space', () => {
  const marks = Array.from({ length: 40 }, (_, at) => ({ x: 30 + at / 100, name: `kill ${at}` }));
  const svg = lineChart({ ...hour, marks });
  expect(svg.match(/class="mark"/g)).toHaveLength(40);
  expect(texts(svg).filter((words) => words?.startsWith('kill'))).toEqual([
    'kill 0',
    'kill 1',
    'kill 2',
  ]);
});

const bar = (value: number) => ({ name: 'n', values: [value], label: 'l' });
const widths = (svg: string) =>
  [...svg.matchAll(/<rect[^>]* width="([^"]+)"/g)].map(([, width]) => Number(width));

test('the longest bar fills the width, over all groups or within each', () => {
  const groups = [
    { name: 'small', bars: [bar(1)] },
    { name: 'large', bars: [bar(100)] },
  ];
  const [small = 0, large = 0] = widths(barChart({ ...described, unit: 's', groups }));
  expect(large / small).toBeCloseTo(100, -1);
  const [one, other] = widths(barChart({ ...described, unit: 's', groups, scaleEachGroup: true }));
  expect(one).toBe(other);
});

test.each([
  [0, 7, '0 2 4 6 8'],
  [0, 1, '0.0 0.2 0.4 0.6 0.8 1.0'],
  [0, 1234, '0 250 500 750 1,000 1,250'],
  [0, 0, '0.0 0.2 0.4 0.6 0.8 1.0'],
])('an axis from %d to %d has round ticks', (low, high, marks) => {
  const scale = linearScale([low, high], [0, 100]);
  expect(scale.ticks.map((tick) => scale.label(tick)).join(' ')).toBe(marks);
});
