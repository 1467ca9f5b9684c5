export {
  type ExternalPostgres,
  findExternalPostgres,
  startExternalPostgres,
} from './external-postgres.ts';
export { findNatsServer, type NatsServer, startNatsServer } from './nats-server.ts';
export { findPgBouncer, startPgBouncer } from './pgbouncer.ts';
export { type Proxy, startProxy } from './proxy.ts';
