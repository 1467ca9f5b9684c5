import type { User } from '@chatd/protocol';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Link, useLocation } from 'wouter';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { DEMO_PROMPTS, type DemoPrompt } from './demo-prompts.ts';
import { useModels } from './use-models.ts';

/** Shown only while the demo model is the only one: suggested prompts, and how to add a provider. */
export function FirstSteps({ user }: { readonly user: User }) {
  const models = useModels();
  if (models === undefined || models === 'real') return null;
  return (
    <div className="flex flex-col gap-6">
      <AddProvider admin={user.role === 'admin'} demo={models === 'demo'} />
      {models === 'demo' && <Suggestions />}
    </div>
  );
}

function AddProvider({ admin, demo }: { readonly admin: boolean; readonly demo: boolean }) {
  const now = demo
    ? 'The built-in demo model gives scripted answers without an API key. Everything else works.'
    : 'No model is enabled, so chats cannot be answered.';
  return (
    <section
      aria-labelledby="add-provider"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-2xl border border-line bg-surface p-4"
    >
      <KeyRound aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-48 flex-1">
        <h2 id="add-provider" className="font-semibold">
          {admin ? 'Connect a model' : 'You are using the demo model'}
        </h2>
        <p className="text-sm text-muted">
          {now}{' '}
          {admin
            ? 'Add an API key for Anthropic, OpenAI, Google or another provider, or connect your own server.'
            : 'Ask an admin to add a provider in the settings.'}
        </p>
      </div>
      {admin && (
        <Link
          href="/settings/providers?edit=new"
          className="inline-flex h-9 shrink-0 items-center rounded-lg bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-hover"
        >
          Add provider
        </Link>
      )}
    </section>
  );
}

function Suggestions() {
  const list = useChatList();
  const [, go] = useLocation();
  const [begun, setBegun] = useState(false);
  const begin = async ({ text }: DemoPrompt) => {
    setBegun(true);
    try {
      const chat = await client.call('createChat', { body: { content: text } });
      list.put(chat);
      go(`/chats/${chat.id}`);
    } catch (error) {
      setBegun(false);
      toast.error('The chat could not be started', { description: explain(error) });
    }
  };
  return (
    <section aria-labelledby="try-this">
      <h2 id="try-this" className="mb-2 text-sm font-semibold text-muted">
        Example prompts
      </h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {DEMO_PROMPTS.map((prompt) => (
          <li key={prompt.text}>
            {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its text is its name, further down than the rule looks */}
            <button
              type="button"
              disabled={begun}
              className="flex w-full items-center gap-3 rounded-xl border border-line px-3 py-2.5 text-start hover:border-line-strong hover:bg-surface disabled:opacity-60"
              onClick={() => void begin(prompt)}
            >
              <prompt.Icon aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="min-w-0">
                <span className="block font-medium">{prompt.text}</span>
                <span className="block text-sm text-muted">{prompt.shows}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
