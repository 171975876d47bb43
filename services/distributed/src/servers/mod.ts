export { besideCheckout, ExecutableMissing, findExecutable, isExecutable } from './find-executable.ts'
export { findNatsServer, type NatsServer, type NatsServerOptions, startNatsServer } from './nats.ts'
export { type NatsRole, natsAccounts, natsRoles } from './nats-accounts.ts'
export { freePort, type ReservedPort, reservePort } from './ports.ts'
export {
  findPostgres,
  type PostgresOptions,
  type PostgresPrograms,
  type PostgresServer,
  PostgresVersionMismatch,
  startPostgres,
} from './postgres.ts'
export { findS3Server, type S3Server, startS3Server } from './s3.ts'
export { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts'
export { FolderClosed } from './server-user.ts'
