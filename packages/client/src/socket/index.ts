export {
  ReconnectingSocket,
  type ReconnectingSocketOptions,
  type SocketState,
} from './reconnecting-socket.ts';
