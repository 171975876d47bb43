export { buildWeb } from './build.ts'
export { buildFolder } from './folders.ts'
