export { type BarChart, barChart } from './chart/bar-chart.ts';
export { type LineChart, lineChart } from './chart/line-chart.ts';
