import { createHash } from 'node:crypto'

const family = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/

/** Stream names have no dots; `~` occurs in no family, so that different families never meet in one name. */
const flat = (name: string) => name.replaceAll('.', '~')

const checked = (name: string): string => {
  if (!family.test(name)) throw new TypeError(`"${name}" cannot name a family of topics or a queue.`)
  return name
}

/** What streams and subjects are called. Access rules of a server are written against these. */
export const createNames = (prefix: string) => {
  if (!/^[A-Za-z0-9_-]+$/.test(prefix)) throw new TypeError(`"${prefix}" cannot be the prefix of subjects.`)
  return {
    topicStream: (name: string) => `${prefix}~topics~${flat(checked(name))}`,
    topicSubjects: (name: string) => `${prefix}.topics.${checked(name)}.*`,
    topicSubject: (name: string) => `${prefix}.topics.${name}`,
    queueStream: (name: string) => `${prefix}~queues~${flat(checked(name))}`,
    queueSubjects: (name: string) => `${prefix}.queues.${checked(name)}.>`,
    /** A job under an id has a subject of its own, of which the stream keeps one message: that is what makes it unique. */
    namedJob: (name: string, id: string) =>
      `${prefix}.queues.${name}.id.${createHash('sha256').update(id).digest('base64url')}`,
    unnamedJob: (name: string, token: string) => `${prefix}.queues.${name}.job.${token}`,
    sharedStream: (name: string) => `${prefix}~shared~${flat(checked(name))}`,
    sharedSubjects: (name: string) => `${prefix}.shared.${checked(name)}.*`,
    /** A value has a subject of its own, of which the stream keeps one message: the value as it is. */
    sharedValue: (name: string, key: string) =>
      `${prefix}.shared.${name}.${createHash('sha256').update(key).digest('base64url')}`,
    deadStream: (name: string) => `${prefix}~dead~${flat(checked(name))}`,
    deadSubjects: (name: string) => `${prefix}.dead.${checked(name)}.>`,
    deadLetters: (name: string) => `${prefix}.dead.${name}.letters`,
    /** How often a job, by its sequence, was given back unfinished by a worker that stopped. */
    released: (name: string, sequence: number) => `${prefix}.dead.${name}.given.${sequence}`,
  }
}

export type Names = ReturnType<typeof createNames>
