import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Confines the failure of a tab to that tab. */
export class PanelFault extends Component<
  { readonly children: ReactNode },
  { readonly reason: string | undefined }
> {
  override state = { reason: undefined };

  static getDerivedStateFromError(error: unknown): { reason: string } {
    return { reason: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { reason } = this.state;
    if (reason === undefined) return this.props.children;
    return (
      <Notice kind="bad" live className="m-3" title="This tab could not be shown">
        <p>{reason}</p>
        <Button size="small" className="mt-2" onClick={() => location.reload()}>
          Reload page
        </Button>
      </Notice>
    );
  }
}
