export { loadKeyFile } from './key-file.ts'
export { isSameSecret } from './secrets.ts'
export { issueSession, readSession, type Session, sessionLifetimeSeconds } from './session.ts'
