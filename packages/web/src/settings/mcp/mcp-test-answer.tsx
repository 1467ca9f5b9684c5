import type { McpServerTest } from '@chatd/protocol';
import { TestAnswer, type TestState } from '../parts/test-button.tsx';

export const McpTestAnswer = ({ state }: { readonly state: TestState<McpServerTest> }) => (
  <TestAnswer state={state}>
    {({ server, tools, left_out }) => (
      <>
        {server !== undefined && (
          <p className="text-sm text-muted">
            Server: {server.name} {server.version}.
          </p>
        )}
        {tools !== undefined && tools.length > 0 && (
          <details className="mt-1">
            <summary className="font-medium">
              {tools.length} {tools.length === 1 ? 'tool' : 'tools'} available to agents
            </summary>
            <dl className="mt-1 max-h-72 overflow-y-auto text-sm">
              {tools.map(({ name, description, idempotent }) => (
                <div key={name} className="py-1">
                  <dt className="font-mono break-all">
                    {name}
                    {idempotent && <span className="font-sans text-muted"> · idempotent</span>}
                  </dt>
                  <dd className="break-words text-muted">{description}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
        {left_out !== undefined && left_out.length > 0 && (
          <details className="mt-1">
            <summary className="font-medium">{left_out.length} not available to agents</summary>
            <dl className="mt-1 text-sm">
              {left_out.map(({ name, reason }) => (
                <div key={name} className="py-1">
                  <dt className="font-mono break-all">{name}</dt>
                  <dd className="text-muted">{reason}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </>
    )}
  </TestAnswer>
);
