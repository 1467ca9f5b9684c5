import { useChat } from '@ai-sdk/react';
import { createClient } from '@chatd/client';
import { chatTransport, loadUIMessages } from '@chatd/client/ai-sdk';
import { createRoot } from 'react-dom/client';

const client = createClient();
// The URL fragment identifies the chat, so the page can be reloaded in the middle of an answer.
const chatId = location.hash.slice(1) || undefined;
const onChat = ({ id }: { id: string }) => history.replaceState(null, '', `#${id}`);
const transport = chatTransport(client, { chatId, onChat });
const stored = chatId === undefined ? [] : (await loadUIMessages(client, chatId)).messages;

function Page() {
  const chat = useChat({ transport, messages: stored, resume: chatId !== undefined });
  const busy = chat.status === 'submitted' || chat.status === 'streaming';
  const send = (form: FormData) => void chat.sendMessage({ text: form.get('text') as string });
  return (
    <main>
      {chat.messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, index) => {
            if (part.type === 'text') return <span key={index}>{part.text}</span>;
            if (part.type === 'reasoning') return <em key={index}>{part.text}</em>;
            if (part.type !== 'dynamic-tool') return null;
            return <code key={index}>{`${part.toolName}: ${part.state}`}</code>;
          })}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form action={send}>
        <input name="text" placeholder="Send a message" autoFocus required />
        {/* Without keys, React would reuse the button during the click and submit the form. */}
        {busy ? (
          <button key="stop" type="button" onClick={() => void chat.stop()}>
            Stop
          </button>
        ) : (
          <button key="send">Send</button>
        )}
      </form>
    </main>
  );
}

createRoot(document.querySelector('#page') as Element).render(<Page />);
