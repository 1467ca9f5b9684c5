import type { DesktopClient, DesktopHandlers, DesktopSize, DesktopState } from '../machine.ts';

type OnState = DesktopHandlers['onState'];

/** A connection to a desktop. */
export interface DesktopMember {
  readonly client: DesktopClient;
  readonly onState: OnState;
}

/**
 * Who controls the pointer and keyboard of a desktop. One person has control at a time; taking it removes it from the
 * previous one. While no person has it, agents get it one after another.
 */
export class DesktopControl {
  readonly #size: DesktopSize;
  readonly #members = new Set<DesktopMember>();
  /** Agents that want to act. The first one may, unless a person has control. */
  readonly #agents = new Set<DesktopMember>();
  #acting: DesktopMember | undefined;
  #person: DesktopMember | undefined;

  constructor(size: DesktopSize) {
    this.#size = size;
  }

  get state(): DesktopState {
    const { client } = this.#person ?? {};
    return {
      ...this.#size,
      person: client?.kind === 'viewer' ? client.name : null,
      agentWaits: this.#person !== undefined && this.#agents.size > 0,
      viewers: [...this.#members].filter(({ client: { kind } }) => kind === 'viewer').length,
    };
  }

  join(member: DesktopMember): void {
    this.#members.add(member);
    this.#tell();
  }

  leave(member: DesktopMember): void {
    if (!this.#members.delete(member)) return;
    this.#release(member);
    this.#tell();
  }

  take(member: DesktopMember): void {
    if (!this.#members.has(member)) return;
    if (member.client.kind === 'viewer') this.#person = member;
    else if (this.#acting !== member) this.#agents.add(member);
    this.#tell();
  }

  giveBack(member: DesktopMember): void {
    this.#release(member);
    this.#tell();
  }

  #release(member: DesktopMember): void {
    if (this.#person === member) this.#person = undefined;
    if (this.#acting === member) this.#acting = undefined;
    this.#agents.delete(member);
  }

  #tell(): void {
    const [next] = this.#agents;
    if (this.#person === undefined && this.#acting === undefined && next !== undefined) {
      this.#agents.delete(next);
      this.#acting = next;
    }
    const { state } = this;
    for (const member of this.#members) {
      member.onState(state, member === this.#person || member === this.#acting);
    }
  }
}
