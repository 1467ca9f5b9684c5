export { type BarChart, barChart } from './chart/bar-chart.ts';
export { lineChart } from './chart/line-chart.ts';
