import { onDemand } from '../ui/on-demand.tsx';

export const LabelsDialog = onDemand(async () => (await import('./edit-labels.tsx')).EditLabels);
