import { action, type Group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { candidates } from './candidates.ts';
import { SCRIPTS, SHELLS } from './scripts.ts';

export const completion = action({
  name: 'completion',
  summary: 'What lets a shell complete chatd commands',
  positionals: [{ name: 'SHELL', choices: SHELLS }],
  examples: [
    ['chatd completion bash > ~/.local/share/bash-completion/completions/chatd', 'bash'],
    ['chatd completion zsh > ~/.zfunc/_chatd', 'zsh, with ~/.zfunc in fpath'],
    ['chatd completion fish > ~/.config/fish/completions/chatd.fish', 'fish'],
  ],
  async run({ positionals: [shell = ''], context }) {
    context.print(SCRIPTS[shell as keyof typeof SCRIPTS]);
    return EXIT.ok;
  },
});

/** What those scripts ask: a candidate a line, with what it is about after a tab. */
export const completing = (program: () => Group) =>
  action({
    name: '__complete',
    summary: 'Candidates for a shell',
    hidden: true,
    verbatim: true,
    async run({ positionals, context }) {
      const { words, files } = candidates(program(), positionals.slice(1));
      const lines = words.map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
      if (files) lines.push(':files');
      context.print(lines.map((line) => `${line}\n`).join(''));
      return EXIT.ok;
    },
  });
