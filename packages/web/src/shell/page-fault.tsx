import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SidebarToggle } from './shell.tsx';

interface FaultProps {
  /** Navigation ends the failure. */
  readonly address?: string;
  readonly header?: ReactNode;
  readonly children: ReactNode;
}

interface FaultState {
  readonly reason: string | undefined;
  readonly address: string | undefined;
}

/**
 * Shows why a page cannot be shown, instead of an empty window. Its script may be missing because the server was
 * updated.
 */
export class Fault extends Component<FaultProps, FaultState> {
  override state: FaultState = { reason: undefined, address: this.props.address };

  static getDerivedStateFromError(error: unknown): { reason: string } {
    return { reason: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps({ address }: FaultProps, state: FaultState): FaultState | null {
    return address === state.address ? null : { reason: undefined, address };
  }

  override render(): ReactNode {
    const { reason } = this.state;
    if (reason === undefined) return this.props.children;
    return (
      <>
        {this.props.header}
        <main className="m-auto w-full max-w-md p-6">
          <Notice kind="bad" live title="This page could not be shown">
            <p className="wrap-anywhere">{reason}</p>
            <p className="mt-1">The server may have been updated, or it is unreachable.</p>
            <Button size="small" className="mt-2" onClick={() => location.reload()}>
              Reload page
            </Button>
          </Notice>
        </main>
      </>
    );
  }
}

/** Confines the failure of a page to that page: the chat list stays. */
export function PageFault({ children }: { readonly children: ReactNode }) {
  const [address] = useLocation();
  return (
    <Fault
      address={address}
      header={
        <header className="flex h-12 shrink-0 items-center px-2">
          <SidebarToggle />
        </header>
      }
    >
      {children}
    </Fault>
  );
}
