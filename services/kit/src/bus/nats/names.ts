import { createHash } from 'node:crypto'

const family = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/

/** Stream names have no dots; `~` occurs in no family, so that names of different families never collide. */
const flat = (name: string) => name.replaceAll('.', '~')

const checked = (name: string): string => {
  if (!family.test(name)) throw new TypeError(`"${name}" cannot name a family of topics or a queue.`)
  return name
}

/** Names of streams and subjects. The access rules of a server refer to them. */
export const createNames = (prefix: string) => {
  if (!/^[A-Za-z0-9_-]+$/.test(prefix)) throw new TypeError(`"${prefix}" cannot be the prefix of subjects.`)
  return {
    topicStream: (name: string) => `${prefix}~topics~${flat(checked(name))}`,
    topicSubjects: (name: string) => `${prefix}.topics.${checked(name)}.*`,
    topicSubject: (name: string) => `${prefix}.topics.${name}`,
    queueStream: (name: string) => `${prefix}~queues~${flat(checked(name))}`,
    queueSubjects: (name: string) => `${prefix}.queues.${checked(name)}.>`,
    /** A job with an id has its own subject, of which the stream retains one message; this makes the id unique. */
    namedJob: (name: string, id: string) =>
      `${prefix}.queues.${name}.id.${createHash('sha256').update(id).digest('base64url')}`,
    unnamedJob: (name: string, token: string) => `${prefix}.queues.${name}.job.${token}`,
    sharedStream: (name: string) => `${prefix}~shared~${flat(checked(name))}`,
    sharedSubjects: (name: string) => `${prefix}.shared.${checked(name)}.*`,
    /** A value has its own subject, of which the stream retains one message: the current value. */
    sharedValue: (name: string, key: string) =>
      `${prefix}.shared.${name}.${createHash('sha256').update(key).digest('base64url')}`,
    deadStream: (name: string) => `${prefix}~dead~${flat(checked(name))}`,
    deadSubjects: (name: string) => `${prefix}.dead.${checked(name)}.>`,
    deadLetters: (name: string) => `${prefix}.dead.${name}.letters`,
    /** How often a job, by its sequence, was released unfinished by a worker that stopped. */
    released: (name: string, sequence: number) => `${prefix}.dead.${name}.given.${sequence}`, // words: allowed
  }
}

export type Names = ReturnType<typeof createNames>
