import type { FastifyRequest } from 'fastify'

const hostShape = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

const first = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')[0]
    ?.trim() ?? ''

/**
 * Determines the origin of a request: the configured one, else by its headers. It appears only in the caller's answer, and no decision depends on it.
 */
export const createOrigins =
  (publicUrl: string | undefined) =>
  ({ headers }: Pick<FastifyRequest, 'headers'>): string => {
    if (publicUrl !== undefined) return publicUrl
    const hosts = [first(headers['x-forwarded-host']), first(headers.host)]
    const host = hosts.find((candidate) => hostShape.test(candidate)) ?? 'localhost'
    return `${first(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'}://${host}`
  }
