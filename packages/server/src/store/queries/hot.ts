export { beginAttempt } from './begin-attempt.ts';
export { commitStep } from './commit-step.ts';
export { finishTurn } from './finish-turn.ts';
