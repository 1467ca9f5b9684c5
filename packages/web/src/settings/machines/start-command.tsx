import { SecretOnce } from '../parts/secret-once.tsx';

/** The command that starts a machine, with its token. */
export function StartCommand({ token }: { readonly token: string }) {
  // Not an argument, so that other users of the machine do not see it in the process list.
  const command = `CHATD_MACHINE_TOKEN=${token} chatd machine --url ${location.origin}`;
  return (
    <SecretOnce
      label="Command"
      secret={command}
      about="Run this command on the machine. It contains the token of the machine, which is not shown again."
    />
  );
}
