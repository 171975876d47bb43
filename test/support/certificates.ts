import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const openssl = (directory: string, ...args: string[]) =>
  execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })

/** Whether this machine can create certificates. */
export const canMakeCertificates = (): boolean => {
  try {
    openssl('.', 'version')
    return true
  } catch {
    return false
  }
}

/** Creates a certificate authority in a folder as `<authority>.pem`; it issues certificates as `<name>.pem` and `<name>.key`. */
export const createAuthority = (directory: string, authority = 'authority') => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    directory,
    'req',
    '-x509',
    ...key,
    '-keyout',
    `${authority}.key`,
    '-out',
    `${authority}.pem`,
    '-days',
    '2',
    '-subj',
    `/CN=${authority}`,
  )
  return {
    authorityFile: join(directory, `${authority}.pem`),
    issue: (name: string) => {
      openssl(directory, 'req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      writeFileSync(join(directory, `${name}.ext`), `subjectAltName=DNS:${name},DNS:localhost,IP:127.0.0.1\n`)
      openssl(
        directory,
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        `${authority}.pem`,
        '-CAkey',
        `${authority}.key`,
        '-CAcreateserial',
        '-out',
        `${name}.pem`,
        '-days',
        '2',
        '-extfile',
        `${name}.ext`,
      )
      return { certificateFile: join(directory, `${name}.pem`), keyFile: join(directory, `${name}.key`) }
    },
  }
}
