import type { User } from '@chatd/protocol';

export interface SettingsProps {
  readonly section: string;
  readonly user: User;
}

export default function Settings({ section }: SettingsProps) {
  return <main className="p-8">{section}</main>;
}
