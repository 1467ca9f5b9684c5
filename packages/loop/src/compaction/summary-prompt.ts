/** The request at the end of the conversation. */
export const SUMMARY_REQUEST = `The conversation has grown too long and is about to be replaced by a summary, which you write now. Someone else takes over with nothing but your summary and continues the work at once, so write it as a hand-over to them, not as a report.

Answer with the summary alone, as text. Do not call any tool.

It must contain, under headings, whatever applies:
- Constraints and corrections: everything the user demanded, forbade or corrected, in the user's own words.
- Goal: what the user wants in the end.
- Decisions: what was decided and why, and what was ruled out.
- Files and commands: exact paths, names, identifiers and commands that matter, and what was found in or changed about them.
- Errors: exact messages of errors that were met, and how each was solved or where it stands.
- Done: what is finished and checked.
- In progress: what was being done at this very moment, with its state.
- Left: what remains to be done.
- Next action: the one thing to do first, precise enough to do it without looking back.

Be complete about facts and brief about everything else.`;

const PREFACE = `The conversation so far was too long and has been replaced by this summary, written as a hand-over by the previous assistant. Take over: continue the work immediately, starting with the next action it names. Do not greet, and do not ask questions that were already answered.`;

export const summaryText = (summary: string): string => `${PREFACE}\n\n${summary}`;
