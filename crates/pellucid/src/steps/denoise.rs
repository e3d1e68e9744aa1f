//! The step that denoises.

use pellucid_denoise::registry::{self, Method};
use pellucid_denoise::{AlongRay, Denoiser, Run};
use pellucid_io::Document;

use super::{Denoise, Fault, normals};
use crate::big::Movement;
use crate::numbers::three_digits;
use crate::unmoved;

impl Denoise {
    /// The method with its parameters.
    pub(super) fn denoiser(&self) -> Result<(&'static Method, Box<dyn Denoiser>), String> {
        let name = self.method.as_deref().unwrap_or(registry::DEFAULT).to_ascii_lowercase();
        let method = registry::find(&name).map_err(|e| e.to_string())?;
        let mut parameters = self.parameters.clone();
        if let Some(strength) = self.strength {
            if !method.defaults().contains_key("strength") {
                return Err(format!("method \"{name}\" has no strength; leave it out"));
            }
            parameters.insert("strength".to_owned(), strength.into());
        }
        let built = method.build(self.preset.as_deref(), &parameters).map_err(|e| e.to_string())?;
        Ok((method, built))
    }

    pub(super) fn apply(&self, document: &mut Document, run: &mut Run) -> Result<String, Fault> {
        let (method, denoiser) = self.denoiser()?;
        let eyes = match self.viewpoint {
            Some(v) => vec![v],
            None => document.source.viewpoints(),
        };
        if self.along_ray && eyes.is_empty() {
            let fault = "along_ray: the file does not say where the scanner stood; give viewpoint";
            return Err(Fault::Said(fault.to_owned()));
        }
        let noisy = &document.cloud;
        let result = match self.along_ray {
            true => AlongRay::new(&*denoiser, &eyes).denoise(noisy, run)?,
            false => denoiser.denoise(noisy, run)?,
        };
        let movement = Movement::between(noisy.positions(), result.cloud.positions());
        let old = noisy.normals();
        document.cloud = result.cloud;
        if let Some(old) = old.filter(|_| movement.max > 0.0) {
            normals::update(&mut document.cloud, &old, None).map_err(|e| e.to_string())?;
        }
        if movement.moved == 0 {
            let mut parameters = self.parameters.clone();
            parameters.extend(self.strength.map(|s| ("strength".to_owned(), s.into())));
            let why = unmoved::reason(result.stop, &result.report, &parameters);
            let hint = "if the points are noisy all the same, give noise = X in file units, or \
                        another method";
            return Ok(format!("{}: nothing was moved: {why}; {hint}", method.name));
        }
        Ok(format!(
            "{}: {} points moved, by {} on average",
            method.name,
            movement.moved,
            three_digits(movement.mean)
        ))
    }
}
