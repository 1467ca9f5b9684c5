import type { ChatSharing, NewChatSharing } from '@chatd/protocol';
import { useState } from 'react';
import { dateAndTime } from '../format/time.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { INPUT } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';

const DAY_MS = 24 * 60 * 60 * 1000;

const EXPIRIES = [
  { days: 1, label: 'Expires in 1 day' },
  { days: 7, label: 'Expires in 7 days' },
  { days: 30, label: 'Expires in 30 days' },
  { days: 0, label: 'Does not expire' },
] as const;

/** A read-only link for people without an account. Hidden when an admin does not allow links. */
export function LinkSection({
  sharing: { link, links_allowed: allowed },
  disabled,
  onChange,
}: {
  readonly sharing: ChatSharing;
  readonly disabled: boolean;
  readonly onChange: (link: NewChatSharing['link']) => void;
}) {
  const [days, setDays] = useState(7);
  if (!allowed) return null;
  const expiry = () => (days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString());
  return (
    <section aria-labelledby="share-link" className="flex flex-col gap-2 border-t border-line pt-3">
      <h3 id="share-link" className="font-medium">
        Link
      </h3>
      {link === undefined ? (
        <>
          <p className="text-sm text-muted">
            Everyone with the link can read the chat without an account, and follow it live.
          </p>
          <div className="flex flex-wrap gap-2">
            <Select
              aria-label="Expiry of the link"
              className="min-w-0 flex-[1_1_10rem]"
              value={days}
              onChange={({ target }) => setDays(Number(target.value))}
            >
              {EXPIRIES.map(({ days: value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
            <Button disabled={disabled} onClick={() => onChange({ expires_at: expiry() })}>
              Create link
            </Button>
          </div>
        </>
      ) : (
        <>
          {link.url !== undefined && (
            <div className="flex gap-2">
              <input readOnly aria-label="Link" className={INPUT} value={link.url} />
              <CopyButton text={link.url} label="Copy link" className="shrink-0" />
            </div>
          )}
          <p className="text-sm text-muted">
            {link.expires_at === undefined
              ? 'Does not expire.'
              : `Expires ${dateAndTime(link.expires_at)}.`}
            {link.url === undefined &&
              ' The link is shown only when it is created. Renew it to get a new one.'}
          </p>
          <div className="flex flex-wrap gap-2">
            {link.url === undefined && (
              <Button
                disabled={disabled}
                onClick={() => onChange({ expires_at: link.expires_at ?? null, renew: true })}
              >
                Renew link
              </Button>
            )}
            <Button kind="danger" disabled={disabled} onClick={() => onChange(null)}>
              Revoke link
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
