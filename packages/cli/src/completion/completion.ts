import { type AnyCommand, Argument, command, type Run } from '../command-line/command.ts';
import { candidates } from './candidates.ts';
import { SCRIPTS } from './scripts.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion = (run: Run) =>
  command('completion', 'Print the completion script for a shell', {
    examples: [
      ['chatd completion bash > ~/.local/share/bash-completion/completions/chatd', 'bash'],
      ['chatd completion zsh > ~/.zfunc/_chatd', 'zsh, with ~/.zfunc in fpath'],
      ['chatd completion fish > ~/.config/fish/completions/chatd.fish', 'fish'],
    ],
  })
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .action(run(async ({ print }, shell) => print(SCRIPTS[shell])));

/** Called by the scripts. Prints one candidate per line, with its description after a tab. */
export const complete = (run: Run, program: AnyCommand) =>
  command('__complete', 'Print completion candidates', { raw: true })
    .argument('[words...]')
    .action(
      run(async ({ print }, words) => {
        const { values, files } = candidates(program, words);
        const lines = values.map(({ value, description }) =>
          description === '' ? value : `${value}\t${description}`,
        );
        if (files) lines.push(':files');
        print(lines.map((line) => `${line}\n`).join(''));
      }),
    );
