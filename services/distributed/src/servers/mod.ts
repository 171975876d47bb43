export { ExecutableMissing, findExecutable } from './find-executable.ts'
export { freePort, type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts'
