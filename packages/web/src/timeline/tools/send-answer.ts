import type { Answer } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { toast } from '../../ui/toast.ts';

/** Answers a question. `sent` until the answer is in the history; a failed one can be sent again. */
export function useAnswer(chatId: string, toolCallId: string) {
  const [sent, setSent] = useState(false);
  const send = async (answer: Answer) => {
    setSent(true);
    try {
      await client.call('answerQuestion', {
        params: { chat_id: chatId },
        body: { tool_call_id: toolCallId, answer },
      });
    } catch (error) {
      setSent(false);
      toast.error(explain(error));
    }
  };
  return { sent, send };
}
