import { replaceSharing, requireRoot } from '../../../entities/sharing/commands.ts';
import { readSharing } from '../../../entities/sharing/queries.ts';
import { listParticipants } from '../../../store/queries/sharing/grants.ts';
import type { HandlersOf } from '../../call.ts';
import { publicOrigin } from '../../pages/oidc.ts';
import type { Services } from '../../services.ts';

export const sharingHandlers = (services: Services): HandlersOf<'Sharing'> => ({
  async getChatSharing({ found, db }) {
    requireRoot(found.chat);
    return { status: 200, body: await readSharing(db, found.chat.id) };
  },

  async replaceChatSharing({ found, body, caller, exchange, tx }) {
    const { sharingChanges } = services;
    const by = { caller, origin: publicOrigin(services, exchange) };
    return { status: 200, body: await replaceSharing(sharingChanges, found.chat, body, by, tx) };
  },

  async listParticipants({ found, db }) {
    const participants = await db.query(listParticipants, { chat_id: found.chat.id });
    return { status: 200, body: { participants, next_cursor: null } };
  },
});
