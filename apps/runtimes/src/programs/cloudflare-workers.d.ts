/** The part of workerd's own module that the workers here use. */
declare module "cloudflare:workers" {
  export const env: { readonly GUARD?: string };
}
