import { CircleAlert, Info, Lightbulb, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Alert } from '../parse/alerts.ts';

const ALERTS: Readonly<Record<Alert, readonly [title: string, icon: ReactNode]>> = {
  note: ['Note', <Info key="icon" />],
  tip: ['Tip', <Lightbulb key="icon" />],
  important: ['Important', <CircleAlert key="icon" />],
  warning: ['Warning', <TriangleAlert key="icon" />],
  caution: ['Caution', <OctagonAlert key="icon" />],
};

/** A quote that begins with `[!NOTE]`, as on GitHub. */
export function AlertBox({
  kind,
  children,
}: {
  readonly kind: Alert;
  readonly children: ReactNode;
}) {
  const [title, icon] = ALERTS[kind];
  return (
    <div role="note" className="md-alert" data-alert={kind}>
      <p className="md-alert-title">
        {icon}
        {title}
      </p>
      {children}
    </div>
  );
}
