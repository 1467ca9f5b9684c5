export { hasDesktops } from './programs.ts';
export { decideAs, type ScriptedAgent } from './scripted-user.ts';
export {
  AZURE,
  BISQUE,
  cellAt,
  type Corner,
  ECHOING,
  findTerminal,
  hasKeys,
  MINT,
  readLine,
  ROSE,
  terminal,
} from './terminal-screen.ts';
