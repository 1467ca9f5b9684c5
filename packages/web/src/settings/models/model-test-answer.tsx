import type { ModelTest } from '@chatd/protocol';
import { money } from '../../format/money.ts';
import { TestAnswer, type TestState } from '../parts/test-button.tsx';

export const ModelTestAnswer = ({ state }: { readonly state: TestState<ModelTest> }) => (
  <TestAnswer state={state}>
    {({ text, usage, cost_micros }) => (
      <>
        {text !== undefined && (
          <blockquote className="mt-1 border-l-2 border-line-strong pl-2 break-words">
            {text}
          </blockquote>
        )}
        {usage !== undefined && (
          <p className="text-sm text-muted">
            {usage.input_tokens} tokens in, {usage.output_tokens} out
            {cost_micros !== null && cost_micros !== undefined && `, ${money(cost_micros)}`}
          </p>
        )}
      </>
    )}
  </TestAnswer>
);
