import { ArrowLeft } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

export function BackLink({ to, onClick }: { readonly to: string; readonly onClick: () => void }) {
  return (
    <div className="-mb-6">
      <Button size="small" kind="quiet" onClick={onClick} className="-ml-2">
        <ArrowLeft aria-hidden className="size-4" />
        {to}
      </Button>
    </div>
  );
}
