import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** A secret that is shown only once. */
export function SecretOnce({
  label,
  secret,
  about,
}: {
  readonly label: string;
  readonly secret: string;
  readonly about: string;
}) {
  return (
    <div className="flex flex-col gap-3">
      <Notice kind="warn" live>
        {about}
      </Notice>
      <div className="flex flex-wrap items-center gap-2">
        <code
          aria-label={label}
          className="min-w-0 flex-1 basis-48 rounded-lg bg-code px-3 py-2 text-sm break-all select-all"
        >
          {secret}
        </code>
        <CopyButton text={secret} kind="primary" />
      </div>
    </div>
  );
}
