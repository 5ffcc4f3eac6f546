"""Responses that pysaml2 and xmlsec1 have signed, for test/sign-on/saml-others.test.ts.

    apt-get install xmlsec1 && pip install pysaml2==7.5.5 && python .ci/saml/responses.py

Writes test/support/saml/signed-by-others.json. Keys are those of test/support/saml/keys.ts.
"""
import base64
import json
import pathlib
import re
import subprocess
import tempfile
import textwrap
import time

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.assertion import Policy
from saml2.config import IdPConfig
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = pathlib.Path(tempfile.mkdtemp())
IDP = "https://idp.example/entity"
SP = "https://postern.test/saml/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"
ACS = "https://postern.test/auth/sign-on/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f/acs"
REQUEST = "_3f1c0de5a9b84b7f"
DSIG = "http://www.w3.org/2000/09/xmldsig#"
MORE = "http://www.w3.org/2001/04/xmldsig-more#"
ENC = "http://www.w3.org/2001/04/xmlenc#"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
PERSON = {"mail": ["ada@acme.example"], "displayName": ["Ada Lovelace"], "eduPersonAffiliation": ["staff", "R & D"]}


def pem(name, kind):
    source = (ROOT / "test/support/saml/keys.ts").read_text()
    literal = re.search(rf"const {name} =(.*?);", source, re.S).group(1)
    lines = textwrap.wrap("".join(re.findall(r'"([^"]*)"', literal)), 64)
    path = FOLDER / f"{name}.pem"
    path.write_text("\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""]))
    return str(path)


def by_pysaml2(digest, method):
    metadata = f"""<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{SP}">
      <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
      <md:AssertionConsumerService Binding="{BINDING_HTTP_POST}" Location="{ACS}" index="0"/>
      </md:SPSSODescriptor></md:EntityDescriptor>"""
    (FOLDER / "sp.xml").write_text(metadata)
    service = {
        "endpoints": {"single_sign_on_service": [("https://idp.example/sso", BINDING_HTTP_REDIRECT)]},
        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
    }
    config = {
        "entityid": IDP,
        "service": {"idp": service},
        "key_file": pem("IDP_KEY", "PRIVATE KEY"),
        "cert_file": pem("IDP_CERTIFICATE", "CERTIFICATE"),
        "metadata": {"local": [str(FOLDER / "sp.xml")]},
        "xmlsec_binary": "/usr/bin/xmlsec1",
    }
    server = Server(config=IdPConfig().load(config))
    response = server.create_authn_response(
        PERSON,
        REQUEST,
        ACS,
        SP,
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text="ada-1815"),
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": IDP},
        sign_assertion=True,
        sign_response=True,
        sign_alg=method,
        digest_alg=digest,
    )
    return str(response)


def by_xmlsec1(key, method, digest, prefixes):
    now = time.gmtime()
    instant = time.strftime("%Y-%m-%dT%H:%M:%SZ", now)
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.mktime(now) - time.timezone + 300))
    template = f"""<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r" Version="2.0"
    xmlns="urn:example:default" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:unused="urn:example:unused"
    xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" IssueInstant="{instant}" InResponseTo="{REQUEST}">
  <saml:Issuer>{IDP}</saml:Issuer>
  <samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>
  <saml:Assertion Version="2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ID="_a" IssueInstant="{instant}">
    <saml:Issuer>{IDP}</saml:Issuer>
    <ds:Signature xmlns:ds="{DSIG}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="{EXCLUSIVE}"/>
      <ds:SignatureMethod Algorithm="{method}"/><ds:Reference URI="#_a"><ds:Transforms>
        <ds:Transform Algorithm="{DSIG}enveloped-signature"/><ds:Transform Algorithm="{EXCLUSIVE}">
          <ec:InclusiveNamespaces xmlns:ec="{EXCLUSIVE}" PrefixList="{prefixes}"/></ds:Transform></ds:Transforms>
        <ds:DigestMethod Algorithm="{digest}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo>
      <ds:SignatureValue/></ds:Signature>
    <saml:Subject><saml:NameID>ada-1815</saml:NameID>
      <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
        <saml:SubjectConfirmationData NotOnOrAfter="{end}" Recipient="{ACS}" InResponseTo="{REQUEST}"/>
      </saml:SubjectConfirmation></saml:Subject>
    <saml:Conditions NotOnOrAfter="{end}"><saml:AudienceRestriction><saml:Audience>{SP}</saml:Audience>
      </saml:AudienceRestriction></saml:Conditions>
    <saml:AuthnStatement AuthnInstant="{instant}"/>
    <saml:AttributeStatement><saml:Attribute Name="r&amp;d&#10;&#x1F600;" xml:lang="en">
      <saml:AttributeValue xsi:type="xs:string">ä &lt;&amp;&gt; &#13;
</saml:AttributeValue><saml:AttributeValue><plain xmlns=""/><inner/></saml:AttributeValue></saml:Attribute>
    </saml:AttributeStatement>
  </saml:Assertion>
</samlp:Response>
"""
    (FOLDER / "template.xml").write_text(template)
    command = ["xmlsec1", "--sign", "--privkey-pem", pem(key, "PRIVATE KEY"), "--id-attr:ID", "Assertion"]
    done = subprocess.run([*command, str(FOLDER / "template.xml")], capture_output=True, text=True, check=True)
    return done.stdout


def main():
    now_ms = int(time.time()) * 1000
    responses = {
        "pysaml2, RSA and SHA-256": by_pysaml2(f"{ENC}sha256", f"{MORE}rsa-sha256"),
        "pysaml2, RSA and SHA-512": by_pysaml2(f"{ENC}sha512", f"{MORE}rsa-sha512"),
        "xmlsec1, RSA and SHA-256": by_xmlsec1("IDP_KEY", f"{MORE}rsa-sha256", f"{ENC}sha256", "#default xs unused"),
        "xmlsec1, P-256 and SHA-256": by_xmlsec1("P256_KEY", f"{MORE}ecdsa-sha256", f"{ENC}sha256", "xs xsi"),
    }
    out = ROOT / "test/support/saml/signed-by-others.json"
    out.write_text(json.dumps({"nowMs": now_ms, "responses": responses}, indent=2, ensure_ascii=False) + "\n")


main()
